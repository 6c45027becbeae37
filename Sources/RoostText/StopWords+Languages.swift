extension StopWords {
    /// The most frequent function words of languages other than English, excluding words that are also
    /// English stop words.
    ///
    /// Some of these words are ordinary words in another language ("die", "son"). A list is therefore used
    /// only if its words make up at least ``minimumShare`` of the words in the texts.
    static let otherLanguages: [Set<String>] = [
        german, french, spanish, italian, portuguese, dutch, scandinavian, polish, russian, turkish, chinese,
    ].map { list in Set(list.split(separator: " ").map(String.init)).subtracting(english) }

    /// The minimum share of words from a list in texts that are considered to be in the language of the list.
    /// Function words make up 30 to 50% of the words in a text in that language, and less than 3% in an
    /// English text.
    static let minimumShare = 0.1

    private static let german = """
        der die das und ist nicht ein eine einer eines einem einen zu den dem des mit sich auf für von im \
        auch es an werden aus er hat dass daß sie nach wird bei um sind noch wie über so zum zur war haben \
        nur oder aber vor bis mehr durch man sein wurde sei kann gegen vom können schon wenn habe seine ihre \
        dann unter wir soll ich wurden als diese dieser dieses doch ihr uns da hier wo was kein keine sehr \
        in ihren seiner seinen ihrer muss müssen etwas beim dabei damit dort jetzt immer wieder ab ins
        """
    private static let french = """
        le la les un une des du de et est en que qui dans pour pas sur au aux avec ce cette ces son sa ses \
        se ne il elle ils elles on nous vous je tu mais ou où par plus sont était être été avoir ont fait \
        comme tout tous leur leurs si même aussi bien peut sans entre après avant cela ça y donc très deux \
        quand alors lui mon ma mes votre notre chez encore sous ainsi faire c'est d'un d'une qu'il n'est l'on
        """
    private static let spanish = """
        el la los las un una unos unas de del y en que es por con para se no su sus al lo como más pero le \
        les ha han fue son era ser está están hay muy ya o si sobre también entre cuando todo todos esta \
        este estos estas ese esa eso sin hasta desde porque donde qué quien yo tú él ella ellos nos mi tu \
        me te puede pueden ni así cada otro otra otros antes después dos tiene tienen había sólo solo
        """
    private static let italian = """
        il lo la i gli le un uno una di del dello della dei degli delle e è in che non per con si da dal \
        dalla dai al allo alla ai alle nel nella nei nelle sul sulla sono era essere stato ha hanno come ma \
        più anche se su questo questa questi queste quello quella suo sua suoi loro lui lei noi voi io tu mi \
        ti ci o dove quando perché molto tutto tutti fra tra dopo prima ancora già solo così può due fa
        """
    private static let portuguese = """
        o a os as um uma uns umas de do da dos das e é em no na nos nas que não por para com se ao aos à às \
        como mais mas foi são ser está estão tem têm seu sua seus suas ele ela eles elas eu você nós isso \
        isto este esta esse essa já ou também muito até entre quando sem sobre depois pelo pela mesmo só
        """
    private static let dutch = """
        de het een en van in is dat op te zijn met voor niet aan er om ook als dan maar bij uit nog naar \
        heeft hebben had was wordt worden werd door over ze zij hij wij je jij ik u dit deze die wat wie \
        waar hoe zo of tot geen meer kan kunnen zou moet moeten al onder mijn hun hem haar ons onze veel na
        """
    private static let scandinavian = """
        och att det som en på är av för med den till inte har de ett om var jag men från vi så kan när hade \
        eller man sig över hon han nu bara vid efter skulle alla sin ut mot under också og at er til ikke \
        et af der fra jeg blev være havde hvor når skal vil også efter ved hun sig dem eller meget noe
        """
    private static let polish = """
        i w na z się nie do to że jest jak o co a po za od ale tak dla ten ta te był była było są być przez \
        czy już tylko może jego jej ich oraz ze który która które tego tym przed przy też lub gdy gdzie
        """
    private static let russian = """
        и в не на я что с он а это как по к но его из у за мы она они ты вы так же от бы для о был была \
        было были все есть до если или ли когда только уже еще ещё при то этот эта эти чтобы где кто нет \
        их ее её мне меня со во под без может быть
        """
    private static let turkish = """
        ve bir bu da de için ile o ne gibi daha çok en ama olarak olan var yok mi mı kadar sonra ben sen \
        biz siz onlar her şey ki değil ya veya göre önce oldu olduğu
        """
    private static let chinese = """
        的 了 是 在 和 有 我 不 人 这 這 他 她 它 也 就 都 而 及 与 與 或 但 被 把 从 從 到 对 對 于 於 以 \
        为 為 上 中 下 个 個 们 們 你 会 會 要 能 可 说 說 着 著 之 其 很 又 那 没 沒
        """
}
