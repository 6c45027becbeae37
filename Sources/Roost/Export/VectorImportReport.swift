/// The result of the import of a ``VectorArchive``.
public struct VectorImportReport: Sendable, Hashable, Encodable {
    /// The numbers of new, updated and unchanged entries, and of the entries that were embedded.
    public var entries = ImportReport()
    /// The number of entries whose vectors were imported.
    public var vectors = 0
    /// The number of texts that were not imported, because the archive does not contain them.
    public var withoutText = 0

    /// Creates an empty report.
    public init() {}
}
