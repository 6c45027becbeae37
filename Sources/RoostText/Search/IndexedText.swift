/// The text of a document and of its other fields, as an index reads them.
package struct IndexedText: Sendable, Hashable {
    /// The text.
    package var body: String
    /// The text of each other field. Fields without text can be omitted.
    package var fields: [TextField: String]

    /// Creates the texts of a document.
    package init(_ body: String, fields: [TextField: String] = [:]) {
        (self.body, self.fields) = (body, fields)
    }
}
