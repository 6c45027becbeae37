package org.example.barrels;

import java.util.*;
import java.util.function.Function;

/**
 * A barrel for rain water {.
 */
@Deprecated(since = "2")
public abstract class Barrels<T extends Comparable<T> & AutoCloseable>
        extends AbstractList<T>
        implements AutoCloseable {

    private static final Map<String, Integer> SIZES = Map.of(
            "oak", 200,
            "steel", 300);

    static {
        System.out.println("loaded");
        System.out.println(SIZES);
    }

    private final Function<String, T> factory = new Function<>() {
        @Override
        public T apply(String name) {
            return null;
        }
    };

    protected Barrels(String name) throws IllegalArgumentException {
        super();
        if (name.isEmpty()) {
            throw new IllegalArgumentException("empty }");
        }
    }

    @Override
    public void close() {
        clear();
    }

    public abstract int capacity();

    public static <K, V extends Comparable<? super V>> List<Map.Entry<K, V>> sorted(
            Map<K, V> map, @SuppressWarnings("unused") int... rest) {
        var list = new ArrayList<>(map.entrySet());
        list.sort(Map.Entry.comparingByValue());
        return list;
    }

    int[] levels()[] {
        return new int[][] {
            {1, 2}
        };
    }

    public enum Material {
        OAK {
            @Override
            double density() {
                return 0.7;
            }
        },
        STEEL;

        double density() {
            return 7.8;
        }
    }

    @FunctionalInterface
    interface Listener {
        void notify(String event);

        default Listener and(Listener other) {
            return event -> {
                notify(event);
                other.notify(event);
            };
        }
    }

    record Level(double litres, char unit) {
        Level {
            if (litres < 0) throw new IllegalArgumentException();
            unit = '{';
        }

        static Level empty() {
            return new Level(0, 'l');
        }
    }
}

@interface Measured {
    String unit() default "l";
    int precision() default 1;
}

sealed interface Event permits Rain {
    String text = """
        A text block { with "quotes"
        """;
}

final class Rain implements Event {
    double amount;
    int hours;
}
