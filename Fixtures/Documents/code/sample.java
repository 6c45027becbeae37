package a.b;
import java.util.List;
/** A barrel. */
@Deprecated
public class Barrel<T> extends Base implements Comparable<Barrel<T>> {
    private static final int MAX = 3;
    public Barrel(int litres) {
        super(litres);
        this.x = '}';
    }
    @Override
    public int compareTo(Barrel<T> other) {
        return 0;
    }
    enum Color { RED, GREEN }
    interface Listener {
        void onFull(int litres);
    }
}
