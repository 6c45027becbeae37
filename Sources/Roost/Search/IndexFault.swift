/// A defect of a derived index that a search has detected.
enum IndexFault: Error {
    /// The graph does not match its checksums. The vectors may be intact.
    case corruptGraph(String)
    /// The mapped vectors do not match their checksums.
    case corruptVectors(String)
    /// The positions of words, which searches for phrases need, do not match their checksums.
    case corruptPositions
    /// A vector in the index differs from the one in the storage, although the entry has not changed since
    /// the index was built.
    case vectorsDisagree
    /// A word in the index does not occur in the entry in the storage, although the entry has not changed
    /// since the index was built.
    case wordsDisagree
}
