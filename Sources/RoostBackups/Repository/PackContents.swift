/// The segments of one pack, in the order of their offsets.
struct PackContents: Sendable {
    var name: SegmentID
    var segments: [(id: SegmentID, location: SegmentLocation)]

    /// The path of the pack in the repository.
    var path: String { RepositoryObject.pack(name.description) }

    /// The size of the pack in bytes.
    var storedSize: Int { segments.reduce(0) { $0 + $1.location.storedSize } }

    /// Merges the contents of packs that occur several times.
    ///
    /// After an interrupted prune, several indexes can list the same pack, some of them with erased segments.
    /// The result has every segment that at least one of them lists.
    static func merged(_ packs: [PackContents]) -> [PackContents] {
        var (merged, indices) = ([PackContents](), [SegmentID: Int]())
        for pack in packs {
            guard let index = indices[pack.name] else {
                indices[pack.name] = merged.count
                merged.append(pack)
                continue
            }
            if merged[index].segments.count < pack.segments.count {
                let known = merged[index]
                merged[index] = pack
                for (number, segment) in known.segments.enumerated() where segment.id != .none {
                    merged[index].segments[number] = segment
                }
            } else {
                for (number, segment) in pack.segments.enumerated() where segment.id != .none {
                    merged[index].segments[number] = segment
                }
            }
        }
        return merged
    }
}
