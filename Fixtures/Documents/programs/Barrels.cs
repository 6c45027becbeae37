using System;
using System.Collections.Generic;
using System.Threading.Tasks;

namespace Example.Barrels
{
    /// <summary>A volume of water.</summary>
    public readonly record struct Volume(double Litres)
    {
        public static Volume operator +(Volume left, Volume right)
        {
            return new Volume(left.Litres + right.Litres);
        }

        public static implicit operator double(Volume volume)
        {
            return volume.Litres;
        }
    }

    public record Rain(Volume Amount, int Hours);

    [Flags]
    public enum Material : byte
    {
        None = 0,
        Oak = 1,
        Steel = 2,
    }

    public delegate void Listener(object sender, string text);

    public interface IStore<in T> where T : class
    {
        Task AppendAsync(T item);

        string Describe()
        {
            return "store {";
        }
    }

    public sealed class Barrel<T> : IStore<T>, IDisposable
        where T : class, new()
    {
        private readonly List<T> items = new();
        private const string Path = @"C:\barrels\";

        public event Listener? Changed;

        public Barrel(Volume capacity)
            : base()
        {
            Capacity = capacity;
        }

        ~Barrel()
        {
            Dispose();
            items.Clear();
        }

        public Volume Capacity { get; init; }

        public string Name
        {
            get => name;
            set
            {
                name = value;
            }
        }
        private string name = $"barrel {{";

        public T this[int index]
        {
            get { return items[index]; }
            set { items[index] = value; }
        }

        public async Task AppendAsync(T item)
        {
            await Task.Yield();
            items.Add(item);
        }

        public static IEnumerable<TResult> Select<TSource, TResult>(
            IEnumerable<TSource> source,
            Func<TSource, TResult> selector)
        {
            foreach (var item in source)
            {
                yield return selector(item);
            }
        }

        public int Count() =>
            items.Count
            + 0;

        void IDisposable.Dispose()
        {
            Changed?.Invoke(this, "disposed");
            items.Clear();
        }

        private class Gauge
        {
            public double Read()
            {
                return 0;
            }
        }
    }

    public static class Extensions
    {
        public static double Sum(this IEnumerable<Volume> volumes)
        {
            double total = 0;
            foreach (var volume in volumes) total += volume;
            return total;
        }
    }
}
