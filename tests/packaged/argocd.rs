//! Our objects in the eyes of Argo CD: its own engine and the interpreter of its scripts, built from tests/argocd, judge what deploy/argocd
//! ships, and objects of a real life.

mod engine;
mod life;
mod scripts;
mod sync;
mod trees;
