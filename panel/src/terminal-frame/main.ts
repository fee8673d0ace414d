// The document of its own that a terminal needs; the page that opens it is in pages/machines.
import '../tokens.css';
