import Foundation
import RoostModel
import RoostText

/// The position of the next page of a result.
///
/// A cursor belongs to one revision of the store and to the function and parameters of the first page, so
/// that the pages of a result fit together.
struct PageCursor: Codable, Sendable {
    /// The position in the result, usually the number of items on the previous pages.
    var position: Int
    private var epoch: UUID
    private var revision: UInt64
    private var request: UInt64

    /// The maximum length of a cursor in characters.
    static let maximumLength = 1_000

    static let isInvalid = OperationError("the cursor is invalid; begin again without a cursor")

    /// Creates the cursor of the page that begins at a position.
    init(position: Int, of request: UInt64, at stamp: Stamp) {
        (self.position, self.request) = (position, request)
        (epoch, revision) = (stamp.epoch, stamp.revision.rawValue)
    }

    /// Reads the text of a cursor.
    ///
    /// The position can exceed the number of results: a limit would tell a client with a changed cursor how
    /// many entries the store has.
    /// - Throws: ``OperationError``, whose message states the next step.
    init(_ text: String, of request: UInt64, at stamp: Stamp) throws(OperationError) {
        let standard = text.replacing("-", with: "+").replacing("_", with: "/")
        guard text.utf8.count <= Self.maximumLength, let data = Data(base64Encoded: standard),
            let cursor = try? JSONDecoder().decode(Self.self, from: data),
            (0...Int(UInt32.max)).contains(cursor.position)
        else { throw Self.isInvalid }
        guard cursor.request == request else {
            throw OperationError(
                "the cursor belongs to a request with different parameters; repeat the parameters of the "
                    + "first page, or begin again without a cursor")
        }
        guard cursor.epoch == stamp.epoch, cursor.revision == stamp.revision.rawValue else {
            throw OperationError(
                "the store has changed since the previous page; begin again without a cursor", .expired)
        }
        self = cursor
    }

    /// The opaque text of the cursor, which needs no escapes in the query of an address except for `=`.
    var text: String {
        // With sorted keys, the same page has the same cursor in every answer.
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        // A structure of numbers and texts can always be encoded.
        return ((try? encoder.encode(self)) ?? Data()).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_")
    }

    /// Returns a number that identifies a function and its parameters except the cursor.
    static func digest(of function: String, _ parameters: [String: JSONValue]) -> UInt64 {
        var parameters = parameters
        parameters["cursor"] = nil
        return FNV1a.hash(of: JSONValue.object(parameters).serialized(), from: FNV1a.hash(of: function.utf8))
    }
}
