import Foundation
import RoostFiles

/// The rules of a site's robots.txt for one user agent (RFC 9309).
struct RobotsRules: Sendable {
    private struct Rule: Sendable {
        var pattern: [UInt8]
        var isAllowed: Bool
    }

    private var rules: [Rule] = []

    /// The rules of a site without robots.txt, which permit everything.
    static let permissive = RobotsRules("", agent: "")

    /// The maximum number of bytes of robots.txt that are read.
    static let maximumSize = 512 << 10

    /// Reads the groups for a user agent, or those for `*` if no group names it.
    ///
    /// - Complexity: O(length of the text). The rules of other agents are not kept, because a group can name
    ///   any number of agents.
    init(_ text: String, agent: String) {
        let agent = agent.lowercased()
        /// The rules of the groups that name the agent; `nil` if no group does.
        var own: [Rule]?
        var general: [Rule] = []
        /// Whether the current group names the agent, whether it names `*`, and whether it has rules.
        var (isOwn, isGeneral, hasRules) = (false, false, false)
        text.enumerateLines { line, _ in
            let content = line.prefix { $0 != "#" }
            guard let colon = content.firstIndex(of: ":") else { return }
            let key = content[..<colon].trimmingCharacters(in: .whitespaces).lowercased()
            let value = content[content.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            switch key {
            case "user-agent":
                if hasRules { (isOwn, isGeneral, hasRules) = (false, false, false) }
                if value.lowercased() == agent {
                    isOwn = true
                    own = own ?? []
                } else if value == "*" {
                    isGeneral = true
                }
            case "allow", "disallow":
                hasRules = true
                guard !value.isEmpty else { return }
                let rule = Rule(pattern: Self.normalized(value), isAllowed: key == "allow")
                if isOwn { own?.append(rule) }
                if isGeneral { general.append(rule) }
            default: break
            }
        }
        rules = own ?? general
    }

    /// Returns whether the rules permit a request for a path with its query. The longest matching rule
    /// applies; if two rules have the same length, the one that permits the request applies.
    func permits(_ path: String) -> Bool {
        let path = Self.normalized(path.isEmpty ? "/" : path)
        if path == Array("/robots.txt".utf8) { return true }
        let best = rules.filter { Self.matches($0.pattern, path) }.max {
            ($0.pattern.count, $0.isAllowed ? 1 : 0) < ($1.pattern.count, $1.isAllowed ? 1 : 0)
        }
        return best?.isAllowed ?? true
    }

    /// Returns a path in which characters outside of ASCII are percent-encoded and other sequences have
    /// capital letters.
    private static func normalized(_ path: String) -> [UInt8] {
        var result: [UInt8] = []
        var escapeDigits = 0
        for byte in path.utf8 {
            if byte >= 0x80 {
                result += [UInt8(ascii: "%")] + Hexadecimal.digits(of: byte, isUppercase: true)
            } else {
                let isLowercase = byte >= 0x61 && byte <= 0x66
                result.append(escapeDigits > 0 && isLowercase ? byte - 0x20 : byte)
                escapeDigits = byte == 0x25 ? 2 : max(0, escapeDigits - 1)
            }
        }
        return result
    }

    /// Returns whether a pattern matches the beginning of a path. `*` stands for any characters, and `$` at
    /// the end of the pattern for the end of the path.
    ///
    /// - Complexity: O(length of the pattern · length of the path).
    private static func matches(_ pattern: [UInt8], _ path: [UInt8]) -> Bool {
        var pattern = pattern
        if pattern.last == 0x24 { pattern.removeLast() } else { pattern.append(0x2A) }
        var (index, position) = (0, 0)
        var star: (index: Int, position: Int)?
        while position < path.count {
            if index < pattern.count, pattern[index] == 0x2A {
                star = (index, position)
                index += 1
            } else if index < pattern.count, pattern[index] == path[position] {
                index += 1
                position += 1
            } else if let last = star {
                star = (last.index, last.position + 1)
                (index, position) = (last.index + 1, last.position + 1)
            } else {
                return false
            }
        }
        return pattern[index...].allSatisfy { $0 == 0x2A }
    }
}
