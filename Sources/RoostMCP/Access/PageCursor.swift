import Foundation
import Roost
import RoostModel

/// The position of the next page of a result.
///
/// A cursor belongs to one revision of the store and to the arguments of the first page, so that the pages of
/// a result fit together.
struct PageCursor: Codable {
    /// The number of items on the previous pages.
    var offset: Int
    /// The epoch of the store.
    var epoch: UUID
    /// The revision of the store.
    var revision: UInt64
    /// The digest of the arguments (``ToolArguments/digest``).
    var arguments: UInt64

    private static let maximumLength = 1_000

    /// Returns the opaque text of the cursor.
    var text: String {
        let data = (try? JSONEncoder().encode(self)) ?? Data()
        return data.base64EncodedString()
    }

    /// Returns the offset that the argument `cursor` names; 0 without a cursor.
    ///
    /// The offset can exceed the number of results: a limit would tell a client with a changed cursor how
    /// many entries the store has.
    /// - Throws: ``ToolFailure`` if the cursor is invalid, belongs to other arguments, or the store has
    ///   changed since the previous page.
    static func offset(of arguments: ToolArguments, at stamp: Stamp) throws(ToolFailure) -> Int {
        guard let text = arguments.string("cursor") else { return 0 }
        guard text.utf8.count <= maximumLength, let data = Data(base64Encoded: text),
            let cursor = try? JSONDecoder().decode(Self.self, from: data), cursor.offset >= 0
        else { throw ToolFailure("the cursor is invalid; call the tool without a cursor") }
        guard cursor.arguments == arguments.digest else {
            throw ToolFailure(
                "the cursor belongs to a call with different arguments; repeat the arguments of the first "
                    + "page, or call the tool without a cursor")
        }
        guard cursor.epoch == stamp.epoch, cursor.revision == stamp.revision.rawValue else {
            throw ToolFailure("the store has changed since the previous page; call the tool without a cursor")
        }
        return cursor.offset
    }

    /// Creates the cursor of a page.
    init(offset: Int, of arguments: ToolArguments, at stamp: Stamp) {
        self.offset = offset
        epoch = stamp.epoch
        revision = stamp.revision.rawValue
        self.arguments = arguments.digest
    }
}
