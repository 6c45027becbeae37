/// The function words of languages other than English, separated by spaces.
enum StopWordLists {
    static let german = """
        der die das und ist nicht ein eine einer eines einem einen zu den dem des mit sich auf für von im \
        auch es an werden aus er hat dass daß sie nach wird bei um sind noch wie über so zum zur war haben \
        nur oder aber vor bis mehr durch man sein wurde sei kann gegen vom können schon wenn habe seine \
        ihre dann unter wir soll ich wurden als diese dieser dieses doch ihr uns da hier wo was kein keine \
        sehr in ihren seiner seinen ihrer muss müssen etwas beim dabei damit dort jetzt immer wieder ab \
        ins mich mir dich dir du euch wer wann warum welche welcher welches mein meine meinen dein deine \
        ohne
        """
    static let french = """
        le la les un une des du de et est en que qui dans pour pas sur au aux avec ce cette ces son sa ses \
        se ne il elle ils elles on nous vous je tu mais ou où par plus sont était être été avoir ont fait \
        comme tout tous leur leurs si même aussi bien peut sans entre après avant cela ça y donc très deux \
        quand alors lui mon ma mes votre notre chez encore sous ainsi faire c'est d'un d'une qu'il n'est \
        l'on a ai as es suis sommes êtes comment pourquoi quel quelle quels quelles puis toujours jamais \
        dont
        """
    static let spanish = """
        el la los las un una unos unas de del y en que es por con para se no su sus al lo como más pero le \
        les ha han fue son era ser está están hay muy ya o si sobre también entre cuando todo todos esta \
        este estos estas ese esa eso sin hasta desde porque donde qué quien yo tú él ella ellos nos mi tu \
        me te puede pueden ni así cada otro otra otros antes después dos tiene tienen había sólo solo cómo \
        cuándo dónde cuál
        """
    static let italian = """
        il lo la i gli le un uno una di del dello della dei degli delle e è in che non per con si da dal \
        dalla dai al allo alla ai alle nel nella nei nelle sul sulla sono era essere stato ha hanno come \
        ma più anche se su questo questa questi queste quello quella suo sua suoi loro lui lei noi voi io \
        tu mi ti ci o dove quando perché molto tutto tutti fra tra dopo prima ancora già solo così può due \
        fa
        """
    static let portuguese = """
        o a os as um uma uns umas de do da dos das e é em no na nos nas que não por para com se ao aos à \
        às como mais mas foi são ser está estão tem têm seu sua seus suas ele ela eles elas eu você nós \
        isso isto este esta esse essa já ou também muito até entre quando sem sobre depois pelo pela mesmo \
        só
        """
    static let dutch = """
        de het een en van in is dat op te zijn met voor niet aan er om ook als dan maar bij uit nog naar \
        heeft hebben had was wordt worden werd door over ze zij hij wij je jij ik u dit deze die wat wie \
        waar hoe zo of tot geen meer kan kunnen zou moet moeten al onder mijn hun hem haar ons onze veel \
        na
        """
    static let swedish = """
        och att det som en på är av för med den till inte har de ett om var jag men från vi så kan när \
        hade eller man sig över hon han nu bara vid efter skulle alla sin ut mot under också då där här \
        blir blev vad hur mycket utan mellan varje något några samt
        """
    static let danish = """
        og i at er det en til på af for med som den de der ikke et har fra jeg blev være havde hvor når \
        skal vil også efter ved hun han sig dem eller meget noget kan men var vi du sin over mod nu bare \
        hvad hvordan mellem hver nogle uden kun blive mange
        """
    static let norwegian = """
        og i at er det en til på av for med som den de ikke et har fra jeg ble være hadde hvor når skal \
        vil også etter ved hun han seg dem eller mye noe kan men var vi du sin over mot nå bare hva \
        hvordan mellom hver noen uten kun bli mange
        """
    static let finnish = """
        ja on ei se että oli hän ovat mutta kun niin kuin myös jos joka sen ne hänen tai olla olen ole \
        vain sitä jotka nyt mitä tämä tämän ennen siitä sekä vielä mikä miten missä minä sinä me te he \
        koska hyvin paljon kanssa jälkeen voi ollut tässä siinä
        """
    static let hungarian = """
        a az és hogy nem is egy van volt meg csak de már ha mint ez azt ki el még mert vagy ezt én te ő mi \
        ti ők minden nagyon lesz volna kell lehet után között úgy így itt ott amely aki ami mikor hol \
        hogyan miért mely pedig majd
        """
    static let romanian = """
        și în de la cu pe nu că un o să este din mai care pentru au a fost ce se sunt dar prin sau fi ca \
        ei el ea lui lor după până acest această acesta când unde cum foarte toate între fără cele cel cea \
        am avea despre
        """
    static let catalan = """
        el la els les un una uns unes de del dels i en que és per amb no es al als ha han va van són com \
        més però seu seva també quan sobre entre fins hi ho això aquest aquesta aquests molt tot tots o si \
        sense després on ser estat pot
        """
    static let basque = """
        eta da ez bat du dira zen izan duen ere baina hau hori hura dute zuen egin beste bere den edo \
        baino oso gure nola non noiz zer nor behar dela dituzte gero arte
        """
    static let indonesian = """
        yang dan di ke dari untuk dengan pada ini itu adalah tidak dalam akan juga atau oleh karena \
        sebagai ada bisa dapat saya kami kita mereka dia anda sudah telah lebih saat seperti jika agar \
        tetapi namun bagaimana apa para sangat hanya setelah
        """
    static let irish = """
        agus an na ar is i go le do a ag ní bhí tá sé sí siad mar ach nó leis gur ó faoi seo sin nach \
        bhfuil chun idir cad conas raibh aon gach roimh tar éis
        """
    static let lithuanian = """
        ir yra į iš su kad ne tai kaip bet ar buvo jis ji jie jos jo po už prie nuo dėl per tik dar jau \
        labai kai kur kas šis ši šie arba taip pat savo būti gali mano kiek
        """
    static let turkish = """
        ve bir bu da de için ile o ne gibi daha çok en ama olarak olan var yok mi mı kadar sonra ben sen \
        biz siz onlar her şey ki değil ya veya göre önce oldu olduğu nasıl nerede
        """
    static let polish = """
        i w na z się nie do to że jest jak o co a po za od ale tak dla ten ta te był była było są być \
        przez czy już tylko może jego jej ich oraz ze który która które tego tym przed przy też lub gdy \
        gdzie
        """
    static let czech = """
        a v na se je že s z do to si jak ale o i pro po za by jsem jsou byl byla bylo být od tak nebo ve \
        ze který která které také jen už při když kde co než jeho její jejich bez mezi není
        """
    static let russian = """
        и в не на я что с он а это как по к но его из у за мы она они ты вы так же от бы для о был была \
        было были все есть до если или ли когда только уже еще ещё при то этот эта эти чтобы где кто нет \
        их ее её мне меня со во под без может быть чем
        """
    static let ukrainian = """
        і в не на я що з він а це як по до але його із у за ми вона вони ти ви так же від би для про був \
        була було були все є якщо чи або коли тільки вже ще при то цей ця ці щоб де хто немає їх її мені \
        та під
        """
    static let bulgarian = """
        и в не на аз че с той а това как по към но го от за ние тя те ти вие така да се е са беше бяха все \
        ако или кога само вече още при този тази тези където кой няма им ѝ ми под без може като ще до
        """
    static let serbian = """
        и у на је да се су за од са као не али или који која које то ово овај би био била било бити по из \
        до већ само када где шта како након између i u na je da se su za od sa kao ne ali ili koji koja \
        koje to ovo ovaj bi bio bila bilo biti po iz do već samo kada gde šta kako nakon između
        """
    static let greek = """
        και το να η του την της με για που από στο δεν είναι στην τα των τη οι ένα μια ο τον σε θα στη \
        στις στα ως κατά αυτό αυτή αλλά ή όταν πως τι πολύ μας σας τους όπως μετά πριν χωρίς ήταν έχει αν
        """
    static let arabic = """
        في من على إلى عن أن إن هذا هذه التي الذي مع كان كانت لا ما لم لن هو هي هم نحن أنا أنت ذلك تلك كل \
        قد بعد قبل بين عند حتى إذا أو ثم كما كيف أين متى لكن غير فقط أي و
        """
    static let persian = """
        و در به از که این را با است برای آن یک خود تا بر هم نیز می های شود شد بود ما شما او آنها چه اما یا \
        اگر هر پس دو کرد کند دارد چون
        """
    static let hebrew = """
        של את על לא הוא היא הם זה זו זאת עם כי אם או גם כל אני אתה אנחנו יש אין היה היתה היו אבל רק מה מי \
        איך איפה מתי אחרי לפני בין עד כמו יותר מאוד
        """
    static let yiddish = """
        און די דער דאס דאָס איז אין פון פֿון מיט נישט ניט אויף איך ער זי מיר איר זיי אַ א האט האָט וואס \
        וואָס צו אויך ווי אבער אָבער
        """
    static let hindi = """
        है हैं का की के में से को और पर यह वह नहीं था थी थे एक भी ने तो ही कि इस उस जो कर हो रहा रही रहे \
        गया लिए साथ या मैं हम आप वे कैसे क्या कब कहाँ
        """
    static let nepali = """
        छ छन् हो र को का की मा ले लाई पनि यो त्यो थियो थिए हुन् भने गरेको गर्न एक तर तथा हामी उनी म नै बाट \
        सँग भएको
        """
    static let armenian = """
        եւ է են եմ եք ու ի մեջ որ այս այդ այն չի չէ էր էին համար հետ մի նա մենք նրանք բայց կամ ինչ ինչպես \
        երբ որտեղ նաեւ շատ իր իրենց
        """
    static let tamil = """
        ஒரு என்று மற்றும் இந்த அந்த இது அது என உள்ள ஆனால் அவர் நான் நாம் அவர்கள் என்ன எப்படி எங்கே இல்லை \
        மிகவும் பின்னர்
        """
    static let chinese = """
        的 了 是 在 和 有 我 不 人 这 這 他 她 它 也 就 都 而 及 与 與 或 但 被 把 从 從 到 对 對 于 於 以 为 為 上 中 下 个 個 们 們 你 会 會 要 能 可 说 \
        說 着 著 之 其 很 又 那 没 沒 我们 我們 你们 他们 他們 什么 什麼 怎么 怎麼 如何 这个 這個 那个 可以 因为 因為 所以 如果 一个 一個 没有 沒有
        """
    static let japanese = """
        の に は を た が で て と し れ さ も な へ か や ね よ から まで です ます ました した する して いる ある この その あの これ それ こと もの ため よう など \
        ない という とい いう では には とは での への との につ つい いて てい どう いつ なに まし せん ませ だっ った
        """
}
