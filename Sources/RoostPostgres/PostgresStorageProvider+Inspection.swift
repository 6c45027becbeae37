public import RoostModel

extension PostgresStorageProvider {
    /// Checks the server: its version and that of pgvector.
    ///
    /// The contents are checked by reading them, because every row has a checksum.
    ///
    /// - Throws: `StorageError` if the server cannot be reached.
    public func inspectServer() async throws -> [StorageFinding] {
        let (server, extensionVersion) = try await withConnection { connection, limits in
            let server = try connection.run(StoreSQL.serverVersion, limits).rows[0].text(0)
            // Servers with a built-in type for vectors do not have this catalog or this extension.
            let version = try? connection.run(StoreSQL.vectorVersion, limits).rows.first?.text(0)
            return (server, version)
        }
        var findings = [StorageFinding.note(location, "is served by \(server)")]
        if let version = extensionVersion {
            findings.append(.note(location, "has pgvector \(version) (0.8.4 or newer is recommended)"))
        }
        return findings
    }
}
