/// A subscription to changes of resources.
protocol ResourceSubscription {
    /// The part of the requested notifications that the subscription reports.
    var filter: SubscriptionFilter { get }

    /// Waits until subscribed resources have changed, and returns the changes; at least one.
    ///
    /// - Throws: The errors of the store; `CancellationError` if the task is canceled.
    mutating func next() async throws -> [ResourceChange]
}
