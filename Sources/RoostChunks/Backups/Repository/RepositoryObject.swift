/// The paths of the objects in a repository. `Documentation/Formats.md` describes their contents.
enum RepositoryObject {
    static let configuration = "config"
    static let packs = "packs"
    static let indexes = "index"
    static let snapshots = "snapshots"
    static let locks = "locks"

    static func pack(_ name: String) -> String { "\(packs)/\(name.prefix(2))/\(name)" }
    static func index(_ name: String) -> String { "\(indexes)/\(name)" }
    static func snapshot(_ name: String) -> String { "\(snapshots)/\(name)" }
    static func lock(_ name: String) -> String { "\(locks)/\(name)" }

    static func name(of path: String) -> String { String(path.split(separator: "/").last ?? "") }

    /// Returns the digest that is the name of an object, or `nil` for a file of another program.
    static func id(of path: String) -> SegmentID? { SegmentID(hexadecimal: name(of: path)) }
}
