import Foundation
import TestSupport
import Testing

@testable import RoostPostgres

/// The portable core uses only features of PostgreSQL that Citus, YugabyteDB and CockroachDB have too.
struct PortableSQLTests {
    /// Features that at least one of the databases lacks or implements differently.
    private static let forbidden = [
        "advisory", "nextval", "sequence", "serial", "generated always", "listen ", "notify", "halfvec",
        "hnsw",
        "ivfflat", "bit(", "websearch_to_tsquery", "ts_rank_cd", "setweight", "create function", "language",
        "create trigger", "create rule", "temporary", "unlogged", "ctid", "xmin", "tablesample", "lock table",
        "references", "inherits", "concurrently", "jsonb", "listen",
        "savepoint", "cursor", "serializable",
    ]

    /// The source files, without that of the vector index, which looks for the features first.
    private static func contents() throws -> [String: String] {
        let folder = Fixtures.repository.appendingPathComponent("Sources/RoostPostgres")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0 != "PostgresVectorIndex.swift" }
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

    @Test func `the SQL avoids features that other databases lack`() throws {
        var count = 0
        for (name, source) in try Self.contents() {
            for literal in Self.literals(source) where Self.isSQL(literal) {
                count += 1
                for word in Self.forbidden {
                    #expect(!literal.lowercased().contains(word), "\(name) uses \(word)")
                }
            }
        }
        #expect(count > 50)
    }

    @Test func `every table and index begins with the id of the store`() {
        let statements = Schema.tables
        for sql in statements where sql.hasPrefix("CREATE INDEX") {
            #expect(sql.contains("(store, "), "\(sql)")
        }
        for sql in statements where sql.contains("PRIMARY KEY (") {
            #expect(sql.contains("PRIMARY KEY (store, "), "\(sql)")
        }
        #expect(statements.allSatisfy { $0.contains("IF NOT EXISTS") })
    }
}
