import Foundation
import HTTPTypes
import RoostMCP
import RoostModel
import RoostText

/// The position of the next page of a list. It belongs to one revision of the store and to the parameters of
/// the first page, so that the pages of a list fit together.
struct PageToken: Codable {
    /// The position in the list, whose meaning depends on the list.
    var position: Int
    /// The last item of the previous page, in lists that are read by keys; `nil` if it is too long.
    var key: String?
    private var epoch: UUID
    private var revision: UInt64
    private var parameters: Int

    /// The maximum length of a cursor in characters. With each of them escaped, a request line stays within
    /// the 80 kB that the parser accepts.
    private static let maximumLength = 5_000

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
        try token(of: call, at: stamp)?.position
    }

    /// Returns the cursor of a request; `nil` for the first page.
    ///
    /// - Throws: ``Problem`` if the cursor is invalid or the store has changed since the previous page.
    static func token(of call: Call, at stamp: Stamp) throws(Problem) -> PageToken? {
        guard let text = call.string("cursor") else { return nil }
        guard
            let data = Data(base64Encoded: text.replacing("-", with: "+").replacing("_", with: "/")),
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
        return token
    }

    /// Returns the cursor of the page that begins at a position.
    ///
    /// - Parameter key: The last item of the previous page, if the list is read by keys.
    static func text(
        _ position: Int, key: String? = nil, of call: Call, at stamp: Stamp
    ) -> JSONValue {
        var token = PageToken(
            position: position, key: key, epoch: stamp.epoch, revision: stamp.revision.rawValue,
            parameters: digest(of: call))
        let text = token.encoded
        guard key != nil, text.utf8.count > maximumLength else { return .string(text) }
        token.key = nil
        return .string(token.encoded)
    }

    private var encoded: String {
        // With sorted keys, the same page has the same cursor in every answer.
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        // A structure of numbers and texts can always be encoded. In a query, '+' would mean a space.
        return ((try? encoder.encode(self)) ?? Data()).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_")
    }

    /// A number that identifies the parameters except the cursor.
    private static func digest(of call: Call) -> Int {
        var values = call.values
        values["cursor"] = nil
        values["limit"] = nil
        return Int(truncatingIfNeeded: FNV1a.hash(of: JSONWriter.bytes(of: .object(values))))
    }
}
