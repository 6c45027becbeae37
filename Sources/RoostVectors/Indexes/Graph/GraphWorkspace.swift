/// The buffers that one thread uses while a graph is built.
final class GraphWorkspace {
    /// A row that may become a neighbor.
    struct Candidate {
        var row: UInt32
        /// The squared distance, measured in quantization steps.
        var distance: Int32

        func precedes(_ other: Candidate) -> Bool {
            (distance, row) < (other.distance, other.row)
        }
    }

    let scratch: GraphScratch
    /// The codes of a row, converted to a query.
    let query: UnsafeMutablePointer<Int8>
    let products: UnsafeMutablePointer<Int32>
    /// The rows that are compared in the next step.
    var found: [UInt32] = []
    /// The rows from which neighbors are selected.
    var candidates: [Candidate] = []

    /// Allocates the buffers of a selection.
    ///
    /// - Parameters:
    ///   - stride: The number of bytes of a row's codes.
    ///   - maximumCandidates: The maximum number of rows that are compared at once.
    init(stride: Int, maximumCandidates: Int) {
        scratch = GraphScratch(stride: stride)
        query = .allocate(capacity: 2 * stride)
        products = .allocate(capacity: maximumCandidates)
    }

    deinit {
        query.deallocate()
        products.deallocate()
    }
}
