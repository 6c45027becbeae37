import Foundation
import RoostModel
import RoostVectors

struct Trial: Sendable {
    let fixture: any StorageFixture
    let store: any StorageProvider

    func requireEqual<Value: Equatable>(_ found: Value, _ expected: Value, _ subject: String) throws {
        guard found != expected else { return }
        // The message shows where the descriptions begin to differ, with some of the text before.
        let same = zip("\(found)", "\(expected)").prefix { $0 == $1 }.count
        func excerpt(_ value: Value) -> Substring { "\(value)".dropFirst(max(0, same - 40)).prefix(200) }
        throw LawViolation("\(subject): found …\(excerpt(found)), expected …\(excerpt(expected))")
    }

    func requireSame(_ found: StorageContents, _ expected: StorageContents, _ subject: String) throws {
        let differences = found.differences(from: expected)
        try require(differences.isEmpty, "\(subject) differs in \(differences.joined(separator: ", "))")
    }

    func requireError(
        _ code: StorageError.Code, _ subject: String, _ body: () async throws -> Void
    ) async throws {
        let error = try await RoostTestKit.requireError(subject, as: StorageError.self, body)
        try require(error.code == code, "\(subject): threw \(error) instead of \(code.rawValue)")
    }

    func entry(_ number: Int, _ content: String? = nil, dimension: Int = 4) -> Entry {
        var vector = [Float](repeating: 0, count: dimension)
        vector[number % dimension] = 1
        return Entry(
            content: content ?? "entry \(number)", embeddings: vector,
            createdAt: Date(milliseconds: 1_700_000_000_000 + Int64(number)))
    }

    func changes(after cursor: ChangeCursor, limit: Int) async throws -> ([Change], ChangeCursor) {
        guard let all = try await store.allChanges(after: cursor, limit: limit) else {
            throw LawViolation("a cursor of the current epoch required a reset")
        }
        return all
    }
}
