"""Measures sentence-transformers and ONNX Runtime: texts and tokens per second for two text lengths on all cores (best
of three), and the time for one text.

Usage: encode.py MODEL_FOLDER"""
import os, random, sys, time
os.environ["HF_HUB_OFFLINE"] = "1"
import numpy as np, torch, onnxruntime as ort
from sentence_transformers import SentenceTransformer
from onnxruntime.quantization import quantize_dynamic, QuantType

path = sys.argv[1]  # A model in the layout of sentence-transformers, such as all-MiniLM-L6-v2.
model = SentenceTransformer(path, device="cpu")
words = open("/usr/share/common-licenses/GPL-3").read().split()
random.seed(0)
def texts(n, length):
    return [" ".join(words[(s := random.randrange(len(words) - length)):s + length]) for _ in range(n)]
work = {length: texts(512, length) for length in (12, 100)}
def tokens(t): return sum(len(x) for x in model.tokenizer(t, truncation=True, max_length=256)["input_ids"])
def best(f):
    f(); b = 1e9
    for _ in range(3):
        s = time.perf_counter(); f(); b = min(b, time.perf_counter() - s)
    return b
def report(name, length, seconds):
    t = work[length]
    print(f"{name:24s} {length:4d} words  {len(t)/seconds:8.1f} texts/s  {tokens(t)/seconds:9.0f} tokens/s", flush=True)
for length, t in work.items():
    report("sentence-transformers", length, best(lambda: model.encode(t, batch_size=32)))
inner = model[0].auto_model if hasattr(model[0], "auto_model") else model[0].model
class Hidden(torch.nn.Module):
    def __init__(self, bert): super().__init__(); self.bert = bert
    def forward(self, ids, mask): return self.bert(input_ids=ids, attention_mask=mask).last_hidden_state
f32, i8 = "minilm.onnx", "minilm-int8.onnx"
if not os.path.exists(f32):
    ids = torch.ones(2, 16, dtype=torch.long); axes = {0: "b", 1: "s"}
    torch.onnx.export(Hidden(inner).eval(), (ids, torch.ones_like(ids)), f32,
                      input_names=["ids", "mask"], output_names=["out"],
                      dynamic_axes={"ids": axes, "mask": axes, "out": axes}, dynamo=False, opset_version=17)
    quantize_dynamic(f32, i8, weight_type=QuantType.QInt8, per_channel=True)
options = ort.SessionOptions(); options.intra_op_num_threads = os.cpu_count()
for name, file in (("onnxruntime fp32", f32), ("onnxruntime int8", i8)):
    session = ort.InferenceSession(file, options, providers=["CPUExecutionProvider"])
    def encode(t):
        order = sorted(range(len(t)), key=lambda i: len(t[i]))
        for b in range(0, len(t), 32):
            x = model.tokenizer([t[i] for i in order[b:b + 32]], padding=True, truncation=True, max_length=256,
                                return_tensors="np")
            feed = {"ids": x["input_ids"].astype(np.int64), "mask": x["attention_mask"].astype(np.int64)}
            out = session.run(None, feed)[0]
            k = x["attention_mask"][..., None]
            v = (out * k).sum(1) / k.sum(1)
            v /= np.linalg.norm(v, axis=1, keepdims=True)
    for length, t in work.items(): report(name, length, best(lambda: encode(t)))
    for length in (4, 12):
        one = [texts(1, length)[0]]
        times = []
        for _ in range(200):
            s = time.perf_counter(); encode(one); times.append(time.perf_counter() - s)
        median = 1000 * sorted(times)[100]
        print(f"{name:24s} one text of {tokens(one)} tokens, median {median:.2f} ms", flush=True)
