import Roost

extension ReclusterReport {
    /// The end of a summary, such as `; 3 continue earlier clusters`; empty if no cluster does.
    var continuation: String {
        switch continuedCount {
        case 0: ""
        case 1: "; 1 continues an earlier cluster"
        default: "; \(continuedCount) continue earlier clusters"
        }
    }
}
