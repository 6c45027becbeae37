import Foundation
import RoostMCP
import RoostModel

/// Reads the lists of ids in requests.
enum RequestIDs {
    /// Returns the ids in a list; `nil` if there is no list.
    ///
    /// - Parameters:
    ///   - list: The list, which the schema has checked.
    ///   - place: The location of the list, for the message.
    ///   - kind: The objects with the ids, in the plural.
    /// - Throws: ``Problem`` if an element is not a UUID.
    static func ids(in list: JSONValue?, at place: String, of kind: String) throws(Problem) -> [UUID]? {
        guard let texts = list?.elements?.compactMap(\.asString) else { return nil }
        let ids = texts.compactMap(UUID.init(uuidString:))
        guard ids.count == texts.count else { throw .invalid("\(place) must contain the ids of \(kind)") }
        return ids
    }
}
