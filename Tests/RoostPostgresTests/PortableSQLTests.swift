import Foundation
import TestSupport
import Testing

@testable import RoostPostgres

/// The portable core uses only features of PostgreSQL that Citus, YugabyteDB and CockroachDB have too.
struct PortableSQLTests {
    /// The files with statements that need more than the portable core. They look for the features first.
    private static let extended: Set = ["DistributionSQL.swift", "VectorIndexSQL.swift"]

    /// The files that contain the SQL of the portable core.
    private static let files: Set = [
        "BatchSQL.swift", "ChangeReader.swift", "ConnectionPool.swift", "FilterSQL.swift", "Head.swift",
        "NearestSQL.swift", "PostgresSnapshot+Sources.swift", "PostgresSnapshot+Vectors.swift",
        "PostgresSnapshot.swift", "Schema.swift", "SnapshotTags.swift", "StoreSQL.swift", "TableSQL.swift",
    ]

    /// Features that at least one of the databases lacks or implements differently.
    private static let forbidden = [
        "advisory", "nextval", "sequence", "serial", "generated always", "listen ", "notify", "halfvec",
        "hnsw",
        "ivfflat", "bit(", "websearch_to_tsquery", "ts_rank_cd", "setweight", "create function", "language",
        "create trigger", "create rule", "temporary", "unlogged", "ctid", "xmin", "tablesample", "lock table",
        "references", "inherits", "concurrently", "create_distributed", "pg_dist", "citus", "jsonb", "listen",
        "savepoint", "cursor", "serializable",
    ]

    private static func contents() throws -> [String: String] {
        let folder = Fixtures.repository.appendingPathComponent("Sources/RoostPostgres")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        return try Dictionary(
            uniqueKeysWithValues: names.map {
                ($0, try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8))
            })
    }

    /// Returns the string literals of a source text, without comments.
    private static func literals(_ source: String) -> [String] {
        let code = source.split(separator: "\n").filter {
            !$0.drop { $0 == " " }.hasPrefix("//")
        }.joined(separator: "\n")
        let parts = code.components(separatedBy: "\"\"\"")
        return parts.enumerated().flatMap { index, part in
            // Every second part is a literal of several lines; the others contain literals of one line.
            index % 2 == 1
                ? [part]
                : part.components(separatedBy: "\"").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
        }
    }

    private static func isSQL(_ literal: String) -> Bool {
        let text = literal.drop { $0.isWhitespace }
        return [
            "SELECT ", "INSERT ", "UPDATE roost", "DELETE ", "CREATE ", "COPY ", "SET ", "BEGIN", "DROP ",
        ].contains {
            text.hasPrefix($0)
        }
    }

    @Test func `only the listed files contain SQL`() throws {
        let found = try Self.contents().filter { Self.literals($0.value).contains(where: Self.isSQL) }
        #expect(Set(found.keys) == Self.files.union(Self.extended))
    }

    @Test func `the SQL avoids features that other databases lack`() throws {
        for (name, source) in try Self.contents() where Self.files.contains(name) {
            for literal in Self.literals(source) where Self.isSQL(literal) {
                for word in Self.forbidden {
                    #expect(!literal.lowercased().contains(word), "\(name) uses \(word)")
                }
            }
        }
    }

    @Test func `every table and index begins with the id of the store`() {
        let statements = Schema.migrations.flatMap(\.statements)
        for sql in statements where sql.hasPrefix("CREATE INDEX") {
            #expect(sql.contains("(store, "), "\(sql)")
        }
        for sql in statements where sql.contains("PRIMARY KEY (") {
            #expect(sql.contains("PRIMARY KEY (store, "), "\(sql)")
        }
        #expect(statements.allSatisfy { $0.contains("IF NOT EXISTS") })
    }

    @Test func `the inserted columns are those of the tables`() {
        let statements = Schema.migrations.flatMap(\.statements)
        for table in Table.versioned + [.removals] {
            let definition = statements.first { $0.contains("EXISTS roost.\(table.name) (") } ?? ""
            for column in table.columns {
                #expect(
                    definition.contains("\(column.name) \(column.type.name)"), "\(table.name).\(column.name)")
            }
        }
    }
}
