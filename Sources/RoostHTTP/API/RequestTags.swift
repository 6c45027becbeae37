import Foundation
import Roost
import RoostMCP
import RoostModel

/// Reads the tags that requests add to entries.
enum RequestTags {
    /// Returns the tags in a member of a JSON object.
    ///
    /// - Parameter prefix: The location of the object, for messages.
    /// - Throws: ``Problem`` if a tag consists of white space, or contains a line break or another control
    ///   character.
    static func added(
        _ value: JSONValue, _ name: String, prefix: String = ""
    ) throws(Problem) -> [String] {
        let tags = (value[name]?.elements ?? []).compactMap(\.asString)
        guard tags.allSatisfy(TagName.isValid) else {
            throw .invalid(
                "\(prefix)\(name) contains a tag that is empty, or has a line break or another control "
                    + "character"
            )
        }
        return TagName.distinct(tags)
    }
}
