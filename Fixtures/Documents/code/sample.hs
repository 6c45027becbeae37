module Main where
import Data.List
-- | A tree.
data Tree a = Leaf
  | Node (Tree a) a (Tree a)
  deriving Show

instance Functor Tree where
  fmap f Leaf = Leaf
  fmap f (Node a b c) = Node (fmap f a) (f b) c

insert :: Ord a => a -> Tree a -> Tree a
insert x Leaf = Node Leaf x Leaf
insert x t@(Node l y r)
  | x < y = Node (insert x l) y r
  | otherwise = t
