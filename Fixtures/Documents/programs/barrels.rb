# frozen_string_literal: true

require "json"

module Barrels
  MAXIMUM = 1000

  class Error < StandardError; end

  # A barrel for rain water.
  class Barrel
    include Comparable
    attr_reader :capacity, :content

    Event = Struct.new(:name, :amount) do
      def to_s
        "#{name} #{amount} end"
      end
    end

    class << self
      def create(*values)
        values.map { |value| new(value) }
      end
    end

    def initialize(capacity = MAXIMUM, content: 0)
      @capacity = capacity
      @content = content
    end

    def <=>(other)
      return nil unless other.is_a?(Barrel)
      content <=> other.content
    end

    def self.parse(text)
      data = JSON.parse(text)
      new(data["capacity"])
    end

    def full?
      content >= capacity if capacity
    end

    def fill!(amount) = @content += amount

    def report
      <<~TEXT
        def not_a_method
          #{content} of #{capacity}
        end
      TEXT
    end

    private def drain(amount)
      while @content > 0 && amount > 0 do
        @content -= 1
        amount -= 1
      end
    end

    def [](index)
      case index
      when 0 then capacity
      else content
      end
    end
  end

  def self.total(barrels)
    barrels.sum do |barrel|
      barrel.content
    end
  end
end

class Barrels::Gauge
  def read
    yield 1 if block_given?
  rescue StandardError => e
    puts e
  ensure
    puts "read"
  end
end

def helper(name)
  puts name
  name.to_s
end

task :fill do
  puts "fill"
  puts "done"
end
