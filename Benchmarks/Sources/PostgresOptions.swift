import ArgumentParser
import Foundation
import Roost
import RoostPostgres

/// The store in PostgreSQL that a benchmark uses. `Benchmarks/postgres.py` runs these benchmarks.
struct PostgresOptions: ParsableArguments {
    @Option(help: "The name of the store in the database of $ROOST_POSTGRES_URL.") var name: String

    /// Opens the store; creates it if it does not exist.
    func open() async throws -> PostgresStorageProvider {
        guard let url = ProcessInfo.processInfo.environment["ROOST_POSTGRES_URL"] else {
            throw ValidationError("set ROOST_POSTGRES_URL to the address of a database")
        }
        return try await PostgresStorageProvider(address: ConnectionSettings(url), name: name)
    }

    /// Returns the id of the entry with a number.
    static func id(_ number: Int) -> UUID {
        var id = UUID(uuidString: "00000000-0000-4000-8000-000000000000")?.uuid ?? UUID().uuid
        withUnsafeMutableBytes(of: &id) {
            $0.storeBytes(of: UInt32(number).bigEndian, toByteOffset: 12, as: UInt32.self)
        }
        return UUID(uuid: id)
    }

    /// Returns the number of the entry with an id.
    static func number(_ id: UUID) -> Int {
        withUnsafeBytes(of: id.uuid) {
            Int(UInt32(bigEndian: $0.loadUnaligned(fromByteOffset: 12, as: UInt32.self)))
        }
    }

    /// Returns the entry with a number, whose only passage has the given vector.
    static func entry(_ number: Int, _ vector: [Float]) -> Entry {
        Entry(
            id: id(number), content: "entry number \(number) about swifts and what they do in the air",
            embeddings: vector, source: "file:///notes/\(number / 50).md", key: "id:\(number)",
            metadata: ["year": .integer(Int64(2000 + number % 25))], tags: ["t\(number % 20)"])
    }

    /// Prints a result as one line of JSON.
    static func report(_ result: some Encodable) throws {
        print(String(decoding: try JSONEncoder().encode(result), as: UTF8.self))
    }
}
