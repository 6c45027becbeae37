/// Short texts on four subjects.
public enum SampleTexts {
    /// Four words of each subject.
    public static let subjects = [
        "bread oven dough flour", "boat sail wind keel", "star moon planet orbit", "swift nest roof summer",
    ]
}
