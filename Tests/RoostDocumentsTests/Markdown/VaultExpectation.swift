import Foundation
import TestSupport

/// The expected values of a note of the sample vault.
struct VaultExpectation: Decodable {
    static let file = Fixtures.folder.appendingPathComponent("vault.json")

    var title: String?
    var tags: [String]?
    var created: Double?
    var updated: Double?
    var isInvalid: Bool?

    /// Returns the expectations for all notes, by their paths in the vault.
    static func all() throws -> [String: VaultExpectation] {
        try JSONDecoder().decode([String: VaultExpectation].self, from: Data(contentsOf: file))
    }
}
