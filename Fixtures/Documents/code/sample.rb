module Garden
  class Barrel < Base
    attr_reader :x

    # Fills it.
    def fill(litres)
      if litres > 3
        puts "end"
      end
      litres.each do |x|
        x
      end
    end

    def self.create
      new
    rescue Error
      nil
    end
  end
end
