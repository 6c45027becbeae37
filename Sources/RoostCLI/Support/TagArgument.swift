import ArgumentParser
import Foundation
import RoostModel

/// Reads and checks the tags of a command line.
enum TagArgument {
    /// Returns the tag that an argument names: the text without one leading `#`, with which people copy tags
    /// from their notes, and with one space in place of each run of white space.
    static func tag(_ text: String) -> String {
        let tag = text.hasPrefix("#") && text != "#" ? String(text.dropFirst()) : text
        return TagName.isValid(tag) ? TagName.spelling(of: tag) ?? tag : tag
    }

    static func argument(_ tag: String) -> String { tag.hasPrefix("#") ? "#" + tag : tag }

    /// Throws an error if a tag is empty, or contains control characters, which a list of tags on one line
    /// could not show.
    ///
    /// - Parameter name: The name of the option or argument, for the message.
    static func check(_ tags: [String], name: String = "--tag") throws {
        guard tags.allSatisfy({ $0.hasControlCharacters || TagName.spelling(of: $0) != nil }) else {
            throw ValidationError("\(name) must not be empty")
        }
        guard tags.allSatisfy(TagName.isValid) else {
            throw ValidationError("\(name) must be one line without control characters")
        }
    }
}

extension String {
    fileprivate var hasControlCharacters: Bool {
        unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}
