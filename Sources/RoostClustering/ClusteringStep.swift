/// A step of a clustering run.
public enum ClusteringStep: String, Sendable, CaseIterable {
    /// Reading the texts and vectors of the entries.
    case reading = "reading vectors"
    /// Finding the nearest neighbors of each entry.
    case neighbors = "finding neighbors"
    /// Finding groups of entries.
    case groups = "finding groups"
    /// Finding groups in subsamples, to measure how stable the groups are.
    case stability = "measuring stability"
    /// Choosing keywords and labels.
    case labels = "choosing labels"
    /// Comparing the clusters with the previous ones and saving them; a dry run saves nothing.
    case saving = "saving clusters"
}
