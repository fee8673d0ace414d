/** Size of a character's cell on the screen, in pixels. */
export const CELL_WIDTH = 8;
export const CELL_HEIGHT = 16;
