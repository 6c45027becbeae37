public import RoostModel

extension PostgresStorageProvider {
    /// The first version of pgvector without known defects: older ones can write beyond a buffer while they
    /// build an index in parallel (before 0.8.2), or leave a damaged or incomplete graph (before 0.8.3 and
    /// 0.8.4).
    private static let soundVersion = [0, 8, 4]

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
        if let version = extensionVersion { findings.append(.note(location, Self.assessment(of: version))) }
        return findings
    }

    /// Returns a predicate about a server with a version of pgvector.
    static func assessment(of version: String) -> String {
        let numbers = version.split(separator: ".").map { Int($0.prefix { $0.isNumber }) ?? 0 }
        guard numbers.lexicographicallyPrecedes(soundVersion) else { return "has pgvector \(version)" }
        return
            "has pgvector \(version), whose indexes can be damaged; upgrade it to 0.8.4 or newer, run ALTER "
            + "EXTENSION vector UPDATE, and rebuild its indexes"
    }
}
