import Foundation
import HTTPTypes
import RoostMCP
import RoostModel

/// The position of the next page of a list. It belongs to one revision of the store and to the parameters of
/// the first page, so that the pages of a list fit together.
struct PageToken: Codable {
    /// The position in the list, whose meaning depends on the list.
    var position: Int
    private var epoch: UUID
    private var revision: UInt64
    private var parameters: Int

    private static let maximumLength = 1_000

    /// The parameters of all lists with pages.
    static func parameters(maximum: Int, default standard: Int) -> [Parameter] {
        [
            .query(
                "limit",
                Schema.integer(
                    "The maximum number of items on a page; \(standard) by default.", 1...maximum)),
            .query(
                "cursor",
                Schema.string("The 'nextCursor' of the previous page.", minimum: 1, maximum: maximumLength)),
        ]
    }

    /// The member of pages that has the cursor of the next page.
    static let property = Schema.string("The cursor of the next page; absent on the last page.")

    /// Returns the position that the cursor of a request names; `nil` for the first page.
    ///
    /// - Throws: ``Problem`` if the cursor is invalid or the store has changed since the previous page.
    static func position(of call: Call, at stamp: Stamp) throws(Problem) -> Int? {
        guard let text = call.string("cursor") else { return nil }
        guard let data = Data(base64Encoded: text),
            let token = try? JSONDecoder().decode(Self.self, from: data),
            (0...Int(UInt32.max)).contains(token.position)
        else { throw .invalid("the cursor is invalid; request the list without a cursor") }
        guard token.parameters == digest(of: call) else {
            throw .invalid("the cursor belongs to a request with other parameters")
        }
        guard token.epoch == stamp.epoch, token.revision == stamp.revision.rawValue else {
            throw Problem(
                .gone, "cursorExpired",
                "the store has changed since the previous page; request the list without a cursor")
        }
        return token.position
    }

    /// Returns the cursor of the page that begins at a position.
    static func text(_ position: Int, of call: Call, at stamp: Stamp) -> JSONValue {
        let token = PageToken(
            position: position, epoch: stamp.epoch, revision: stamp.revision.rawValue,
            parameters: digest(of: call))
        // A structure of numbers can always be encoded.
        return .string(((try? JSONEncoder().encode(token)) ?? Data()).base64EncodedString())
    }

    /// A number that identifies the parameters except the cursor (FNV-1a, 64 bits).
    private static func digest(of call: Call) -> Int {
        var values = call.values
        values["cursor"] = nil
        values["limit"] = nil
        let hash = JSONWriter.bytes(of: .object(values)).reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01b3
        }
        return Int(truncatingIfNeeded: hash)
    }
}
