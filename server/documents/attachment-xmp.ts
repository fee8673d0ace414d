/** The attachment's name as required by the Factur-X specification. */
export const ATTACHMENT_NAME = 'factur-x.xml';

const NAMESPACE = 'urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#';

const PROPERTIES = {
  DocumentFileName: { value: ATTACHMENT_NAME, description: 'The name of the embedded XML document' },
  DocumentType: { value: 'INVOICE', description: 'The type of the hybrid document' },
  Version: { value: '1.0', description: 'The version of the standard that the XML document follows' },
  ConformanceLevel: { value: 'EN 16931', description: 'The profile of the XML document' },
};

/**
 * Returns the metadata that the Factur-X specification requires in a PDF with an attachment: the four properties, and
 * the extension schema without which PDF/A does not allow them.
 */
export function attachmentXmp(): string {
  const values = Object.entries(PROPERTIES).map(([name, { value }]) => `<fx:${name}>${value}</fx:${name}>`);
  const schema = Object.entries(PROPERTIES).map(
    ([name, { description }]) => `<rdf:li rdf:parseType="Resource">
      <pdfaProperty:name>${name}</pdfaProperty:name><pdfaProperty:valueType>Text</pdfaProperty:valueType>
      <pdfaProperty:category>external</pdfaProperty:category>
      <pdfaProperty:description>${description}</pdfaProperty:description>
    </rdf:li>`,
  );
  return `
  <rdf:Description rdf:about="" xmlns:fx="${NAMESPACE}">${values.join('')}</rdf:Description>
  <rdf:Description rdf:about="" xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/"
    xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#" xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#">
    <pdfaExtension:schemas><rdf:Bag><rdf:li rdf:parseType="Resource">
      <pdfaSchema:schema>Factur-X PDFA Extension Schema</pdfaSchema:schema>
      <pdfaSchema:namespaceURI>${NAMESPACE}</pdfaSchema:namespaceURI>
      <pdfaSchema:prefix>fx</pdfaSchema:prefix>
      <pdfaSchema:property><rdf:Seq>${schema.join('')}</rdf:Seq></pdfaSchema:property>
    </rdf:li></rdf:Bag></pdfaExtension:schemas>
  </rdf:Description>`;
}
