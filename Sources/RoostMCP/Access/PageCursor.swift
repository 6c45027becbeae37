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
        // With sorted keys, the same page has the same cursor in every answer.
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let data = (try? encoder.encode(self)) ?? Data()
        return data.base64EncodedString()
    }

    /// The reason why a cursor is refused.
    enum Defect: Error {
        /// The text is not one of a cursor.
        case isInvalid
        /// The cursor belongs to other arguments, or to the result of another function.
        case hasOtherArguments
        /// The store has changed since the previous page.
        case isOutdated
    }

    /// Returns the offset that the text of a cursor names.
    ///
    /// The offset can exceed the number of results: a limit would tell a client with a changed cursor how
    /// many entries the store has.
    /// - Parameter digest: The digest of the arguments of the page.
    static func offset(of text: String, at stamp: Stamp, digest: UInt64) throws(Defect) -> Int {
        guard text.utf8.count <= maximumLength, let data = Data(base64Encoded: text),
            let cursor = try? JSONDecoder().decode(Self.self, from: data), cursor.offset >= 0
        else { throw .isInvalid }
        guard cursor.arguments == digest else { throw .hasOtherArguments }
        guard cursor.epoch == stamp.epoch, cursor.revision == stamp.revision.rawValue else {
            throw .isOutdated
        }
        return cursor.offset
    }

    /// Returns the offset that the argument `cursor` names; 0 without a cursor.
    ///
    /// - Throws: ``ToolFailure`` if the cursor is invalid, belongs to other arguments, or the store has
    ///   changed since the previous page.
    static func offset(of arguments: ToolArguments, at stamp: Stamp) throws(ToolFailure) -> Int {
        guard let text = arguments.string("cursor") else { return 0 }
        do throws(Defect) {
            return try offset(of: text, at: stamp, digest: arguments.digest)
        } catch {
            switch error {
            case .isInvalid: throw ToolFailure("the cursor is invalid; call the tool without a cursor")
            case .hasOtherArguments:
                throw ToolFailure(
                    "the cursor belongs to a call with different arguments; repeat the arguments of the "
                        + "first page, or call the tool without a cursor")
            case .isOutdated:
                throw ToolFailure(
                    "the store has changed since the previous page; call the tool without a cursor")
            }
        }
    }

    /// Creates the cursor of a page.
    init(offset: Int, of arguments: ToolArguments, at stamp: Stamp) {
        self.init(offset: offset, of: arguments.digest, at: stamp)
    }

    /// Creates the cursor of a page.
    ///
    /// - Parameter digest: The digest of the arguments of the page.
    init(offset: Int, of digest: UInt64, at stamp: Stamp) {
        self.offset = offset
        epoch = stamp.epoch
        revision = stamp.revision.rawValue
        arguments = digest
    }
}
