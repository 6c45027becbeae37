/// Reads archived entries on request.
package protocol EntryContents: Sendable {
    /// Returns an entry of the archive.
    ///
    /// - Parameters:
    ///   - index: The index of the entry's record in ``ArchivedEntries/records``.
    ///   - withVectors: Whether embeddings and passages are needed. With `false` the entry may lack them.
    /// - Throws: ``StorageError`` with `.damaged` if the stored bytes are corrupt or missing.
    func entry(at index: Int, withVectors: Bool) throws -> Entry
}
