{-# LANGUAGE GADTs #-}
-- | Barrels for rain water.
module Barrels
  ( Barrel (..)
  , fill
  ) where

import qualified Data.Map as Map
import Prelude hiding (fill)

-- | A volume in litres.
newtype Volume = Volume { litres :: Double }
  deriving (Eq, Ord)

data Barrel = Barrel
  { capacity :: Volume
  , content  :: Volume
  }
  deriving (Show)

data Event where
  Rain :: Volume -> Event
  Overflow :: Event

type Store = Map.Map String Barrel

class Container c where
  size :: c -> Volume
  isFull :: c -> Bool
  isFull _ = False

instance Container Barrel where
  size = capacity
  isFull barrel =
    content barrel >= capacity barrel

instance Show Volume where
  show (Volume value) =
    show value ++ " l"

-- | Adds water.
fill :: Volume -> Barrel -> Barrel
fill (Volume amount) barrel
  | isFull barrel = barrel
  | otherwise = barrel { content = Volume total }
  where
    total = amount + litres (content barrel)

(<+>) :: Volume -> Volume -> Volume
Volume a <+> Volume b =
  Volume
    (a + b)

average :: [Double] -> Double
average values = case values of
  [] -> 0
  _ -> sum values / fromIntegral (length values)

main :: IO ()
main = do
  let text = "a string {- no comment"
  putStrLn text
  mapM_ print
    [1, 2, 3 :: Int]
