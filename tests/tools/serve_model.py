"""Serves a GGUF model through the OpenAI API on loopback: serve_model.py MODEL.gguf PORT"""

import signal
import sys

import xllamacpp

params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.hostnames = ["127.0.0.1"]
params.port = int(sys.argv[2])
params.n_ctx = 4096
params.n_parallel = 1
params.n_gpu_layers = 0
# threads that wait for each other crawl where other tests want the processors too
params.cpuparams.n_threads = 1
params.cpuparams_batch.n_threads = 1
params.endpoint_slots = True
params.use_jinja = True
server = xllamacpp.Server(params)
print("listening", server.listening_address, flush=True)
signal.sigwait({signal.SIGTERM, signal.SIGINT})
