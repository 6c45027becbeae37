/// The relationships of a part of an Office Open XML package to other parts (ECMA-376, part 2).
struct Relationships {
    struct Relationship {
        /// The last component of the type's URI, such as `slide`.
        var type: String
        /// The path of the target within the package, or its address.
        var target: String
        /// Whether the target is outside the package.
        var isExternal: Bool
    }

    /// The relationships by their ids.
    private(set) var byID: [String: Relationship] = [:]
    /// The ids in the order of the file.
    private var order: [String] = []

    /// Reads the relationships of a part; of the package if `part` is empty.
    init(of part: String, in archive: ZipArchive) throws {
        let components = part.split(separator: "/")
        let folder = components.dropLast().map { $0 + "/" }.joined()
        guard let xml = try archive.xml("\(folder)_rels/\(components.last ?? "").rels") else { return }
        try xml.descendants { element in
            guard element.name == "Relationship", let id = element["Id"], let target = element["Target"],
                let type = element["Type"]?.split(separator: "/").last
            else { return }
            let isExternal = element["TargetMode"] == "External"
            guard let path = isExternal ? target : PartPath.resolve(target, from: part) else { return }
            if byID[id] == nil { order.append(id) }
            byID[id] = Relationship(type: String(type), target: path, isExternal: isExternal)
        }
    }

    /// Returns the paths of the parts with a type of relationship, in order.
    func targets(ofType type: String) -> [String] {
        order.compactMap { byID[$0] }.filter { $0.type == type && !$0.isExternal }.map(\.target)
    }
}
