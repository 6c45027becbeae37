/// Where the objects of a repository lie. `Documentation/Formats.md` has what is in them.
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

    /// The last part of a path.
    static func name(of path: String) -> String { String(path.split(separator: "/").last ?? "") }
}
