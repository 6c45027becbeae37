import RoostFiles

/// The page checksums of a mapped graph.
struct MappedGraph {
    let codes: CheckedPages?
    let neighbors: CheckedPages?

    /// Returns whether the checksums of a row's neighbor list match and all row numbers in the list are
    /// valid.
    func isListIntact(_ row: Int, in graph: GraphView) -> Bool {
        let (list, size) = (row * graph.degree, MemoryLayout<UInt32>.stride)
        let bytes = list * size..<(list + graph.degree) * size
        guard neighbors?.areIntact(bytes) != false else { return false }
        return (0..<Int(graph.degrees[row])).allSatisfy { graph.neighbors[list + $0] < UInt32(graph.count) }
    }

    /// Returns whether the checksums match for the codes of the given rows.
    func areCodesIntact(
        _ rows: UnsafePointer<UInt32>, _ count: Int, in graph: GraphView
    ) -> Bool {
        guard let codes else { return true }
        return (0..<count).allSatisfy {
            let start = Int(rows[$0]) * graph.stride
            return codes.areIntact(start..<start + graph.stride)
        }
    }
}
