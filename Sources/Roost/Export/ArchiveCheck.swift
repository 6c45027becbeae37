import RoostModel

/// Checks the entries of an archive one after another, so that a faulty archive is not partly imported. It
/// keeps only the ids and a sample of the entries.
struct ArchiveCheck {
    private let name: String
    private var seen: Set<Entry.ID> = []
    /// The entries whose vectors are compared with those of the store's model.
    private(set) var sample = VectorSample()
    /// The number of the first entry whose vectors are not of unit length, from 1.
    private(set) var firstDefect: Int?

    /// Creates a check.
    ///
    /// - Parameter name: The name of the archive for error messages.
    init(name: String) { self.name = name }

    /// The number of entries.
    var count: Int { seen.count }

    /// Checks the next entry.
    ///
    /// - Throws: ``RoostError`` with `.badInput` if the storage would reject the entry, if the inspection of
    ///   a store would report it, or if the archive contains its id twice.
    mutating func add(_ entry: Entry) throws {
        let number = count + 1
        func invalid(_ fault: String) -> RoostError {
            RoostError(.badInput, "cannot import \(name): entry \(number)\(fault); nothing was imported")
        }
        do {
            try WriteBatch(upserts: [entry]).validate()
        } catch let error as StorageError {
            throw invalid(": \(error.message)")
        }
        if let (position, defect) = entry.passageDefects().first {
            throw invalid(", passage \(position), \(defect.predicate)")
        }
        guard seen.insert(entry.id).inserted else {
            let key = entry.key.map { " (with the id '\($0)' in its source)" } ?? ""
            throw RoostError(
                .badInput,
                "cannot import \(name): it contains entry \(entry.id.text) twice\(key); nothing was imported")
        }
        if firstDefect == nil,
            ([entry.embeddings] + entry.passages.map(\.vector)).contains(where: {
                VectorDefect(of: $0) != nil
            })
        {
            firstDefect = number
        }
        sample.add(entry)
    }
}
