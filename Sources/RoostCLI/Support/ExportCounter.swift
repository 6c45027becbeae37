struct ExportCounter {
    let progress: Progress
    /// The number of entries that are exported.
    let all: Int

    /// Updates the progress.
    ///
    /// - Parameter count: The number of entries that were read.
    func update(_ count: Int) { progress.update(count, fraction: Double(count) / Double(max(1, all))) }
}
