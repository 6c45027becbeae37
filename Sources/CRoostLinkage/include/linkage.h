// This target declares nothing.
