"""Measures approximate search with other libraries on matrices of unit vectors: build time, recall@10 and queries per
second. Each call searches for one query, on one thread unless the environment variable THREADS is set.

Usage: neighbors.py BASE.npy QUERIES.npy [hnsw hnswlib ivf ivfrabitq usearch]"""
import os, sys, tempfile, time
import faiss, hnswlib, numpy as np
path=sys.argv[1]
th=int(os.environ.get("THREADS","1"))
X,Q=(np.load(p).astype("f") for p in (path,sys.argv[2])); nq=len(Q); n,d=X.shape
for rows in (X,Q): rows/=np.linalg.norm(rows,axis=1,keepdims=True)
print("base",X.shape,"queries",Q.shape,"threads",th)
faiss.omp_set_num_threads(2)
fl=faiss.IndexFlatIP(d); fl.add(X); t=time.time(); D,G=fl.search(Q,10); t=time.time()-t
print(f"faiss Flat batch 2 threads: {nq/t:.0f} q/s")
faiss.omp_set_num_threads(th)
# A row at the distance of the tenth counts too, because texts that occur twice have equal vectors.
def rec(I): return np.mean([(X[a[a>=0]]@q>=d[-1]-1e-6).mean() for a,q,d in zip(I.astype(np.int64),Q,D)])
def single(f,n=nq):
    best=1e9
    for _ in range(2):
        t=time.perf_counter(); R=[f(Q[i:i+1]) for i in range(n)]; best=min(best,time.perf_counter()-t)
    return n/best,np.vstack(R)
q,R=single(lambda q: fl.search(q,10)[1],200); print(f"faiss Flat single: {q:.0f} q/s")
faiss.omp_set_num_threads(2)
def report(name,build,mem,pts):
    for label,(q,R) in pts:
        print(f"{name:22s} build {build:7.1f}s  mem/vec {mem:6.0f}B {label:14s} recall {rec(R):.4f}  {q:8.0f} q/s",
              flush=True)
def run_hnswlib(M=16,efc=200):
    faiss.omp_set_num_threads(2)
    ix=hnswlib.Index('ip',d); ix.init_index(n,M=M,ef_construction=efc)
    t=time.time(); ix.add_items(X,num_threads=2); b=time.time()-t
    pts=[]
    for ef in (16,32,64,128,256,512,1024):
        ix.set_ef(ef); pts.append((f"ef={ef}",single(lambda q: ix.knn_query(q,10,num_threads=th)[0])))
    report(f"hnswlib M{M}",b,d*4+M*2*4+20,pts)
def run_faiss(key,metric,params,train=True):
    faiss.omp_set_num_threads(2)
    ix=faiss.index_factory(d,key,metric); t=time.time(); ix.train(X); ix.add(X); b=time.time()-t
    faiss.omp_set_num_threads(th)
    ps=faiss.ParameterSpace(); pts=[]
    for p in params:
        ps.set_index_parameters(ix,p); pts.append((p,single(lambda q: ix.search(q,10)[1])))
    f=tempfile.mktemp(); faiss.write_index(ix,f); m=os.path.getsize(f)/n; os.remove(f)
    report("faiss "+key,b,m,pts)
def run_usearch():
    from usearch.index import Index
    for dt in ("f32","i8"):
        ix=Index(ndim=d,metric='cos',dtype=dt,connectivity=16,expansion_add=128)
        t=time.time(); ix.add(np.arange(n),X,threads=2); b=time.time()-t
        pts=[]
        for ef in (16,32,64,128,256,512):
            ix.expansion_search=ef
            search=lambda q: ix.search(q[0],10,threads=th).keys[None,:].astype(np.int64)
            pts.append((f"ef={ef}",single(search)))
        report("usearch "+dt,b,0,pts)
nl=int(4*np.sqrt(n))
sel=sys.argv[3:] or ["hnswlib","ivf","ivfrabitq","hnsw","usearch"]
IP=faiss.METRIC_INNER_PRODUCT
if "ivf" in sel: run_faiss(f"IVF{nl},Flat",IP,[f"nprobe={p}" for p in (4,8,16,32,64,128)])
if "ivfrabitq" in sel:
    for k in (f"IVF{nl},RaBitQ,RFlat",f"RR{d},IVF{nl},RaBitQfs,RFlat",f"IVF{nl},PQ{d//4}x4fs,RFlat",f"IVF{nl},SQ8"):
        probes=(8,16,32,64,128)
        if "RFlat" in k: params=[f"nprobe={p},k_factor_rf={r}" for p in probes for r in (4,16)]
        else: params=[f"nprobe={p}" for p in probes]
        try: run_faiss(k,IP,params)
        except Exception as e: print(k,"failed",str(e)[:200])
if "hnsw" in sel: run_faiss("HNSW32",IP,[f"efSearch={p}" for p in (16,32,64,128,256,512,1024)])
if "hnswlib" in sel: run_hnswlib()
if "usearch" in sel: run_usearch()
