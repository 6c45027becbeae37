extension Sequence where Element: Identifiable {
    /// The elements by their ids; the first one of several with the same id.
    var byID: [Element.ID: Element] { Dictionary(map { ($0.id, $0) }) { first, _ in first } }
}

extension Collection {
    /// Returns the elements in groups of up to `count`, in order.
    func groups(of count: Int) -> [[Element]] {
        var rest = self[...]
        var groups: [[Element]] = []
        while !rest.isEmpty {
            groups.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return groups
    }
}
