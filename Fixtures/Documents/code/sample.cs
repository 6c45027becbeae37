using System;
namespace Garden
{
    public class Barrel : Base
    {
        public int Litres { get; set; }

        public Barrel(int litres)
        {
            Litres = litres;
        }

        [Obsolete("}")]
        public async Task<int> FillAsync(int amount)
        {
            foreach (var x in list)
            {
                amount++;
            }
            return amount;
        }
    }
}
