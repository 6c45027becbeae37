/// Words that are too frequent in a language to characterize the subject of a text.
package enum StopWords {
    /// The English stop words in lower case: articles, pronouns, prepositions, conjunctions, auxiliary verbs,
    /// and adverbs and verbs that occur with any subject.
    package static let english = Set(englishList.split(whereSeparator: \.isWhitespace).map(String.init))

    /// The English stop words, separated by white space.
    static let englishList = """
        a about above across actually after afterwards again against ago all almost alone along
        already also although always am among an and another any anybody anyone anything anyway
        anywhere are aren't around as aside ask asked at away back be became because become becomes
        been before began begin behind being below beside besides between beyond both bring brought
        but by came can can't cannot come comes coming could couldn't did didn't do does doesn't
        doing don't done down during each either else enough especially etc even ever every
        everybody everyone everything everywhere except far few finally first for four from full
        further gave get gets getting give given gives go goes going gone good got great had hadn't
        half hardly has hasn't have haven't having he he'd he'll he's hence her here here's hers
        herself him himself his how however i i'd i'll i'm i've if in indeed instead into is isn't
        it it'd it'll it's its itself just keep kept knew know known last later least left less let
        let's like likely little long look made make makes making many may maybe me mean means
        meanwhile might mine more moreover most mostly much must my myself near nearly need needs
        neither never nevertheless new next no nobody none nor not nothing now nowhere of off often
        oh ok okay on once one ones only onto or other others otherwise ought our ours ourselves out
        over own per perhaps please plus put quite rather really said same saw say says second see
        seem seemed seems seen several shall she she'd she'll she's should shouldn't show since so
        some somebody somehow someone something sometimes somewhere soon still such take taken takes
        tell than thank thanks that that's the their theirs them themselves then there there's
        therefore these they they'd they'll they're they've thing things think third this those
        though three through throughout thus till to together too took toward towards tried try
        trying two under unless until up upon us use used uses using usually very via want wanted
        wants was wasn't way ways we we'd we'll we're we've well went were weren't what what's
        whatever when whenever where whereas wherever whether which while who who's whoever whole
        whom whose why will with within without won't would wouldn't yes yet you you'd you'll you're
        you've your yours yourself yourselves com html http https org www
        mr mrs ms dr st vs co re ve ll nbsp quot amp apos href
        """
}
